declare module "*.md?raw" {
  const text: string
  export default text
}

declare module "*.sql?raw" {
  const text: string
  export default text
}

declare module "*.tsv?raw" {
  const text: string
  export default text
}
