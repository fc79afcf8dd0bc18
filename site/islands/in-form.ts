import { arrived } from './Dispatch.tsx';
import { sendMessage } from './send-message.ts';
import { ToastView } from './ToastView.tsx';

/** What only somebody in the form needs, in a file of its own. Radix alone is as large as all our own code. */
export const inForm = { arrived, sendMessage, ToastView };
