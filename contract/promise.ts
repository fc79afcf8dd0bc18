/** Within how many hours you answer. The page promises it to visitors; the desk counts by it. */
export const REPLY_HOURS = 24;
