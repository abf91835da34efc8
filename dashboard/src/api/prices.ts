// Generated from the declarations of prices and counts by scripts/generate-client.ts: npm run client:types.

/**
 * The prices of a model. `name`: in requests. `place`: in a row of the catalog. `bill`: among the prices of a bill.
 * `count`: the count of a model call that it prices.
 */
export const MODEL_PRICES = [
  {"name":"input","place":"price_usd_per_million_tokens.input","kind":"chat","perUnit":false,"label":"Input","hint":null,"required":true,"bill":"input","count":"tokens_input"},
  {"name":"cached","place":"price_usd_per_million_tokens.cached","kind":"chat","perUnit":false,"label":"Cached input","hint":null,"required":true,"bill":"cached","count":"tokens_cached"},
  {"name":"cache_write","place":"price_usd_per_million_tokens.cache_write","kind":"chat","perUnit":false,"label":"Cache writes, five minutes","hint":"If empty: same as input","required":false,"bill":"cache_written","count":"tokens_cache_written"},
  {"name":"cache_write_hour","place":"price_usd_per_million_tokens.cache_write_hour","kind":"chat","perUnit":false,"label":"Cache writes, one hour","hint":"If empty: the hour is never requested","required":false,"bill":"cache_written_hour","count":"tokens_cache_written_hour"},
  {"name":"audio_input","place":"price_usd_per_million_tokens.audio_input","kind":"chat","perUnit":false,"label":"Audio input","hint":"If empty: same as input","required":false,"bill":"audio_input","count":"tokens_audio"},
  {"name":"output","place":"price_usd_per_million_tokens.output","kind":"chat","perUnit":false,"label":"Output","hint":null,"required":true,"bill":"output","count":"tokens_output"},
  {"name":"reasoning","place":"price_usd_per_million_tokens.reasoning","kind":"chat","perUnit":false,"label":"Reasoning","hint":"If empty: same as output","required":false,"bill":"reasoning","count":"tokens_reasoning"},
  {"name":"web_search","place":"price_usd_per_web_search","kind":"chat","perUnit":true,"label":"Web search","hint":"If empty: free","required":false,"bill":"web_search_usd","count":"web_searches"},
  {"name":"x_search","place":"price_usd_per_x_search","kind":"chat","perUnit":true,"label":"X search","hint":"If empty: free","required":false,"bill":"x_search_usd","count":"x_searches"},
  {"name":"code_execution","place":"price_usd_per_code_execution","kind":"chat","perUnit":true,"label":"Code execution","hint":"If empty: free","required":false,"bill":"code_execution_usd","count":"code_executions"},
  {"name":"picture","place":"price_usd_per_picture","kind":"image","perUnit":true,"label":"Picture","hint":null,"required":true,"bill":"image_usd","count":null},
] as const

/** The counts of a model call in a bill. `required`: calls without the others are common. */
export const CALL_COUNTS = [
  {"name":"tokens_input","title":"Input tokens","required":true},
  {"name":"tokens_cached","title":"Cached input tokens","required":true},
  {"name":"tokens_cache_written","title":"Cache write tokens","required":false},
  {"name":"tokens_cache_written_hour","title":"Cache write tokens, one hour","required":false},
  {"name":"tokens_audio","title":"Audio input tokens","required":false},
  {"name":"tokens_output","title":"Output tokens","required":true},
  {"name":"tokens_reasoning","title":"Reasoning tokens","required":false},
  {"name":"web_searches","title":"Web searches","required":false},
  {"name":"x_searches","title":"X searches","required":false},
  {"name":"code_executions","title":"Code executions","required":false},
] as const
