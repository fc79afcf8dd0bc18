import { Parcel } from '../drawings/parts/parcel.tsx';
import { Sheet } from '../drawings/parts/sheet.tsx';
import { OpenVan, VanDoor } from '../drawings/parts/van.tsx';
import styles from './Dispatch.module.css';
/** The sheet folds into a parcel, and the van takes it. Over the form, which is empty by then. */
export function Dispatch() {
  return (
    <div className={styles.stage}>
      <div>
        <i />
        <i />
        <i />
      </div>
      <Sheet view={[-250, -80, 340, 240]}>
        <g className={styles.van}>
          <OpenVan from={[0, 0]}>
            <g className={styles.parcel}>
              <Parcel from={[0.6, 9.2, 1.3]} />
            </g>
            <VanDoor from={-2.2} />
            <VanDoor from={4.4} />
          </OpenVan>
        </g>
      </Sheet>
    </div>
  );
}
