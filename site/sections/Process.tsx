import { process } from '../content/process.ts';
import { Drawing, Heading, Part } from '../ui/elements.tsx';
import { bullets } from '../ui/words.ts';
import styles from './Process.module.css';

export function Process() {
  return (
    <Part id="process-overview" name="process" className={`sheet ${styles.process}`}>
      <header>
        <Heading id="process-heading">{process.heading}</Heading>
        <p className="lead">{process.lead}</p>
      </header>
      <ol>
        {process.steps.map(({ drawing, title, text }, at) => (
          <li key={drawing}>
            <Drawing name={`process-${drawing}`} />
            <h3>
              <label>
                <input type="radio" name="step" defaultChecked={at === 0} />
                {title}
              </label>
            </h3>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </Part>
  );
}

Process.markdown = [
  `## ${process.heading}`,
  bullets(process.steps.map(({ title, text }) => `${title}: ${text}`)),
];
