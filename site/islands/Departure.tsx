import { createRoot } from 'react-dom/client';
import { Parcel } from '../drawings/parts/parcel.tsx';
import { Sheet } from '../drawings/parts/sheet.tsx';
import { OpenVan } from '../drawings/parts/van.tsx';

/** The message leaves as a parcel, once: nothing of it stays. Styles decide how, and whether it's seen at all. */
export function depart(from: Element): void {
  const place = document.createElement('i');
  const root = createRoot(place);
  place.addEventListener('animationend', () => {
    root.unmount();
    place.remove();
  });
  from.append(place);
  root.render(
    <Sheet view={[-154, -70, 220, 196]}>
      <OpenVan from={[0, 0]}>
        <g className="d-hot">
          <Parcel from={[1, 10.8, 1.3]} size={[2.4, 2.4, 1.9]} />
        </g>
      </OpenVan>
    </Sheet>,
  );
}
