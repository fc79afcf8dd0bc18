/** The server's exit code if it has to be restarted, which every supervisor but `npm start` does after any exit. */
export const START_ANEW = 75;
