import { type ComponentType, type ReactNode, useEffect } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { ContactForm } from './ContactForm.tsx';
import { Header } from './Header.tsx';
import { ScrollToTop } from './ScrollToTop.tsx';
import { Toaster } from './Toaster.tsx';

const ISLANDS = {
  header: Header,
  'contact-form': ContactForm,
  'scroll-to-top': ScrollToTop,
  toasts: Toaster,
} satisfies Record<string, ComponentType>;
export type IslandName = keyof typeof ISLANDS;

/** Hydrates every island, the touched one first, each in its own task. */
export async function hydrate(touched: Element | null) {
  const places = [...document.querySelectorAll<HTMLElement>('[data-island]:not([data-hydrated])')];
  places.sort((a, b) => Number(b.contains(touched)) - Number(a.contains(touched)));
  for (const place of places) await hydrateIsland(place);
}

function hydrateIsland(place: HTMLElement) {
  const name = place.dataset.island ?? '';
  if (!isIsland(name)) return;
  const Component = ISLANDS[name];
  return new Promise<void>((done) => {
    const alive = () => {
      place.dataset.hydrated = '';
      setTimeout(done);
    };
    hydrateRoot(
      place,
      <Alive tell={alive}>
        <Component />
      </Alive>,
    );
  });
}

function isIsland(name: string): name is IslandName {
  return name in ISLANDS;
}

/** Effects run children first, so the island is already listening when this one runs. */
function Alive({ tell, children }: { tell: () => void; children: ReactNode }) {
  useEffect(tell, [tell]);
  return children;
}
