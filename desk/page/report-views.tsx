import { span } from '../../server/messages/day.ts';
import { answersFigure } from '../../server/messages/unanswered.ts';
import type { Finding, Question, Verdict } from '../doctor/check.ts';
import { ANSWERS, counts, QUESTIONS, worst } from '../doctor/report.ts';
import { count, printable } from '../terminal.ts';
import { type Frame, page } from './frame.tsx';
import { DayBars, Figure, Squares } from './plots.tsx';
import type { Figures } from './thirty-days.ts';

/** `Oct 25`, of `2026-10-25` */
const dayName = (day: string) =>
  new Intl.DateTimeFormat('en-CA', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day));

export function figuresPage(frame: Frame, figures: Figures): string {
  const { days, before, medianDeliveryMs, answersDue, answeredInTime, stillDue } = figures;
  const came = days.map(({ received }) => received);
  const total = came.reduce((sum, value) => sum + value, 0);
  const most = total > 0 ? `At most ${Math.max(...came).toLocaleString('en')} a day. ` : '';
  const mailed = medianDeliveryMs === null ? '' : `Half are mailed to you within ${span(medianDeliveryMs)}.`;
  const answers = answersFigure(figures);
  const late = answersDue - answeredInTime - stillDue;
  const main = (
    <>
      <div className="head">
        <div>
          <h1>{count(total, 'message')} in 30 days.</h1>
          <p className="lead">{before.toLocaleString('en')} in the 30 days before.</p>
        </div>
      </div>
      <Figure title="When they came" words={most + mailed}>
        <DayBars days={days.map(({ day }) => dayName(day))} values={came} />
      </Figure>
      {answers && (
        <Figure title="How soon you answered" words={answers}>
          <Squares number={answersDue} filled={answeredInTime} due={stillDue} />
          <p className="key">
            <span className="state state-answered">in time</span>
            {late > 0 && <span className="state">late</span>}
            {stillDue > 0 && <span className="state needs-her">still to be answered</span>}
          </p>
        </Figure>
      )}
    </>
  );
  return page('Figures', frame, main);
}

/** The worst first; what's well can be unfolded. */
function Findings({ own }: { own: Finding[] }) {
  const rows = (verdict: Verdict) =>
    own
      .filter((finding) => finding.verdict === verdict)
      .map(({ what, found, todo }) => (
        <div key={found} className={`finding is-${verdict}`}>
          <span className="verdict">{verdict}</span>
          <b>{what}</b>
          <p>{printable(found)}</p>
          {todo && <p>→ {printable(todo)}</p>}
        </div>
      ));
  const well = rows('ok');
  return (
    <>
      {rows('wrong')}
      {rows('look')}
      {well.length > 0 && (
        <details>
          <summary>{well.length === 1 ? '1 thing is well' : `${well.length} things are well`}</summary>
          {well}
        </details>
      )}
    </>
  );
}

export function doctorPage(frame: Frame, findings: Finding[]): string {
  const { ok, look, wrong } = counts(findings);
  const main = (
    <>
      <div className="head">
        <div>
          <h1>
            {wrong > 0
              ? `${count(wrong, 'thing')} ${wrong === 1 ? 'is' : 'are'} wrong.`
              : 'Nothing is wrong.'}
          </h1>
          <p className="lead">
            {look} to look at, {ok} well.
          </p>
          <p className="row">
            <a className="button" href="/doctor">
              Look again
            </a>
          </p>
        </div>
      </div>
      {(Object.keys(QUESTIONS) as Question[]).map((question) => {
        const own = findings.filter((finding) => finding.question === question);
        return own.length === 0 ? null : (
          <section key={question}>
            <h2>
              {QUESTIONS[question]} <span>{ANSWERS[question][worst(own)]}</span>
            </h2>
            <Findings own={own} />
          </section>
        );
      })}
    </>
  );
  return page('Doctor', frame, main);
}
