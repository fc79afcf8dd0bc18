import { plainPage, refusedPage, wordsPage } from './frame.tsx';
import { erasePage, inboxPage, messagePage } from './message-views.tsx';
import { doctorPage } from './report-views.tsx';
import { settingsPage } from './settings-view.tsx';

export type Pages = typeof pages;

/** Every page of the desk, as HTML. They get what they show, and look up nothing. */
export const pages = {
  inbox: inboxPage,
  message: messagePage,
  erase: erasePage,
  doctor: doctorPage,
  settings: settingsPage,
  plain: plainPage,
  refused: refusedPage,
  words: wordsPage,
};
