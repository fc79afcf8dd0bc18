/** The page was made in some year and is read in another: the visitor's clock decides. */
export function showCurrentYear() {
  const year = String(new Date().getFullYear());
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-current-year]')) {
    time.textContent = year;
    time.dateTime = year;
  }
}
