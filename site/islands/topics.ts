// What the visitor ticked or asked about. The page itself holds it, so it's there before hydration and in a native form.

/** Both kinds have their title in a heading: a problem with its checkbox, a package in the sheet that's asked about. */
export function readTopics(): string[] {
  const chosen = [...document.querySelectorAll('h3 :checked, [data-asked] h3')];
  return chosen.map((place) => place.closest('h3')?.textContent ?? '');
}

export function chooseTopic(title: string, isChosen: boolean) {
  const places = [...document.querySelectorAll('h3 label, article h3')];
  const place = places.find(({ textContent }) => textContent === title);
  const box = place?.querySelector('input');
  if (box) box.checked = isChosen;
  else place?.closest('article')?.toggleAttribute('data-asked', isChosen);
  place?.dispatchEvent(new Event('change', { bubbles: true }));
}
