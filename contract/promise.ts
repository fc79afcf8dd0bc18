// Within how many hours she answers. The words of the page own it; whoever counts by it learns it from the built page.

/** Until a page says otherwise. */
export const USUAL_REPLY_HOURS = 24;

export interface Promised {
  readonly replyHours: number;
}

let promised: Promised = { replyHours: USUAL_REPLY_HOURS };

/** Takes the promise of the page that this process belongs to: it has only one. What changes in there later counts. */
export function goBy(page: Promised): void {
  promised = page;
}

export const replyHours = () => promised.replyHours;
export const promisedMs = () => replyHours() * 3_600_000;
