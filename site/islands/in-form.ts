import { Dispatch } from './Dispatch.tsx';
import { receipt } from './receipt.ts';
import { sendMessage } from './send-message.ts';
import { ToastView } from './ToastView.tsx';

/** What only somebody in the form needs, in a file of its own. Radix alone is as large as all our own code. */
export const inForm = { Dispatch, receipt, sendMessage, ToastView };
