/** Within how many hours the owner answers, until a page says otherwise. Its words own it; whoever counts by it is handed it. */
export const USUAL_REPLY_HOURS = 24;
