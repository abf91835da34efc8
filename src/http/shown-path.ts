/** A path for logs and for other people: an end_user_ref is chosen by an owner and must not appear there. */
export const shownPath = (path: string) => path.replace(/(\/end-users\/+)[^/]+/g, "$1{end_user_ref}")
