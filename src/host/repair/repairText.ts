import type { LoadCount, SessionRepairResult } from '../../shared/repair';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';

/** What a repair changes for the person: "Claude will load 28 of 28 messages instead of 9." */
export function loadsSentence(before: LoadCount, after: LoadCount, formats: Formats, t: Translate): string {
  const loads = formats.number(after.loads);
  const of = formats.number(after.of);
  if (after.loads !== before.loads) {
    return t('Claude will load {0} of {1} messages instead of {2}.', loads, of, formats.number(before.loads));
  }
  return t('Claude will load {0} of {1} messages, as before.', loads, of);
}

/** The question of the confirmation. */
export function repairQuestion(plan: SessionRepairResult, formats: Formats, t: Translate): string {
  const rows = new Set(plan.edits.map((edit) => edit.line)).size;
  return rows === 1 ? t('Repair 1 row?') : t('Repair {0} rows?', formats.number(rows));
}

/** What the confirmation explains below the question. */
export function repairExplanation(plan: SessionRepairResult, formats: Formats, t: Translate): string {
  const sentences = [loadsSentence(plan.resumeBefore, plan.resumeAfter, formats, t)];
  if (plan.resumeBefore.loads === plan.resumeAfter.loads) {
    sentences.push(t('Other versions of Claude Code lose messages of the transcript as it is.'));
  }
  sentences.push(t('A backup is kept next to the transcript.'));
  return sentences.join(' ');
}

export function repairedMessage(after: LoadCount, formats: Formats, t: Translate): string {
  return t('Repaired: Claude will load {0} of {1} messages.', formats.number(after.loads), formats.number(after.of));
}

export function undoneMessage(after: LoadCount, formats: Formats, t: Translate): string {
  return t(
    'The repair was undone: Claude will load {0} of {1} messages.',
    formats.number(after.loads),
    formats.number(after.of),
  );
}

/** The answer when there is nothing to repair. */
export function loadsNowMessage(now: LoadCount, formats: Formats, t: Translate): string {
  return t(
    'Nothing needs a repair: Claude will load {0} of {1} messages.',
    formats.number(now.loads),
    formats.number(now.of),
  );
}
