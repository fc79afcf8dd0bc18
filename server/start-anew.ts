/** The server's exit code if it has to be started anew, which every supervisor but `npm start` does after any end. */
export const START_ANEW = 75;
