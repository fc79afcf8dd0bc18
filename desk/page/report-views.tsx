import { span } from '../../server/messages/day.ts';
import { answersFigure } from '../../server/messages/unanswered.ts';
import type { Finding, Question } from '../doctor/check.ts';
import { ANSWERS, counts, QUESTIONS, worst } from '../doctor/report.ts';
import { count, printable } from '../terminal.ts';
import { type Frame, page } from './frame.tsx';
import { DayBars, Figure, Squares } from './plots.tsx';
import type { Figures } from './thirty-days.ts';

function summary(values: number[], what: string): string {
  const total = values.reduce((sum, value) => sum + value, 0);
  return `${count(total, what)}, at most ${Math.max(...values).toLocaleString('en')} a day`;
}

export function figuresPage(frame: Frame, figures: Figures): string {
  const { days, medianDeliveryMs } = figures;
  const came = days.map(({ received }) => received);
  const mailed = medianDeliveryMs === null ? '' : `; half are mailed to you within ${span(medianDeliveryMs)}`;
  const answers = answersFigure(figures);
  const names = days.map(({ day }) => day);
  const main = (
    <>
      <h1>The last {days.length} days</h1>
      {answers && (
        <Figure title="Answers" words={`${answers.label}: ${answers.value}`}>
          <Squares number={figures.answersDue} filled={figures.answeredInTime} />
        </Figure>
      )}
      <Figure title="Messages" words={summary(came, 'message') + mailed}>
        <DayBars days={names} values={came} />
      </Figure>
    </>
  );
  return page('Figures', frame, main);
}

export function doctorPage(frame: Frame, findings: Finding[]): string {
  const { ok, look, wrong } = counts(findings);
  const main = (
    <>
      <h1>
        {wrong > 0 ? `${count(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.` : 'Nothing is wrong.'}
      </h1>
      <p className="lead">
        {look} to look at, {ok} well. <a href="/doctor">Look again</a>
      </p>
      {(Object.keys(QUESTIONS) as Question[]).map((question) => {
        const own = findings.filter((finding) => finding.question === question);
        return own.length === 0 ? null : (
          <section key={question}>
            <h2>
              {QUESTIONS[question]} <span>{ANSWERS[question][worst(own)]}</span>
            </h2>
            {own.map(({ what, verdict, found, todo }) => (
              <div key={found} className={`finding is-${verdict}`}>
                <span className="verdict">{verdict}</span>
                <b>{what}</b>
                <p>{printable(found)}</p>
                {todo && <p>→ {printable(todo)}</p>}
              </div>
            ))}
          </section>
        );
      })}
    </>
  );
  return page('Doctor', frame, main);
}
