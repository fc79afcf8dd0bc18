import { Parcel } from '../drawings/parts/parcel.tsx';
import { Sheet } from '../drawings/parts/sheet.tsx';
import { OpenVan } from '../drawings/parts/van.tsx';
import styles from './Dispatch.module.css';

/** The sheet folds into a parcel, and the van takes it. Over the form, which is empty by then. */
export function Dispatch() {
  return (
    <div className={styles.stage} aria-hidden="true">
      <div className={styles.letter}>
        <i />
        <i />
        <i />
      </div>
      <Sheet view={[-250, -80, 340, 240]}>
        <g className={styles.van}>
          <OpenVan from={[0, 0]} />
        </g>
        <g className={styles.parcel}>
          <Parcel from={[1.2, 10.8, 1.3]} />
        </g>
      </Sheet>
    </div>
  );
}
