/** Within how many hours you answer. The page promises it to visitors; the desk and the digest count by it. */
export const REPLY_HOURS = 24;
