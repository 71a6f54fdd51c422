import { NO_ID } from '../../../transcript/idTable';
import { nearestMessage } from './graph';
import { isChoosable } from './leaf';
import { type BlockingRow, findUnreadable, historyFrom, type LoadedTranscript, simulateResume } from './loadTranscript';
import type { LoaderRules } from './rules';

/** The rules by which no row keeps a client from resuming. */
const UNBLOCKED = {
  choosesTipsWithoutTime: true,
  failsOnTextReplies: false,
  failsOnOddMessages: false,
} as const satisfies Partial<LoaderRules>;

/**
 * The row that keeps the client from resuming what newer ones resume; of several rows, one that the most versions fail on. Null if
 * something loads, or nothing would without the row either. (docs/format.md, "Client versions")
 */
export function findBlockingRow(loaded: LoadedTranscript): BlockingRow | null {
  const { index, rules } = loaded;
  const { choosesTipsWithoutTime, failsOnTextReplies, failsOnOddMessages } = rules;
  const mayBlock = !choosesTipsWithoutTime || failsOnTextReplies || failsOnOddMessages;
  if (!mayBlock || index.straight !== null || loaded.summary.loads > 0) return null;
  const { resume } = loaded;
  const unblocked = simulateResume(index, { ...rules, ...UNBLOCKED });
  if (unblocked.summary.loads === 0) return null;
  const end = nearestMessage(unblocked.graph, unblocked.leaf);
  if (end !== NO_ID && !isChoosable(resume.graph, end)) return { row: end, rule: 'choosesTipsWithoutTime' };
  return findUnreadable(resume.graph, historyFrom(unblocked.graph, unblocked.leaf).history);
}
