import { ChainView } from '../faults/chainView';
import { findFaults } from '../faults/faultClasses';
import { requestRows } from '../resume/requestRows';
import { simulateResume } from '../resume/simulateResume';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import { BitSet } from '../util/bitSet';
import type { ForkPlan } from './forkPlan';

/** What Claude loads of a fork, by its bytes. */
export interface ProvenFork {
  readonly loads: number;
  readonly of: number;
  /** Where the session worked last. */
  readonly cwd: string | null;
}

/**
 * Whether the written rows are a healthy transcript of which Claude loads the history that was cut: the same rows, the
 * chain in the same order, and the same of them in the request. Null when they are not.
 */
export function proveFork(written: TranscriptFacts, plan: ForkPlan): ProvenFork | null {
  const resume = simulateResume(written);
  const { chain, brokenAt } = resume.walk;
  const isWhole = written.rows.count === plan.length && resume.history.length === plan.length && brokenAt === null;
  if (!isWhole || !isAsPlanned(written, plan) || !holdsChain(chain, plan)) return null;
  const { facts, history, ordered } = plan.cut;
  const expected = requestRows(facts, history).kept;
  const { kept } = resume.request;
  for (const [at, row] of ordered.entries()) if (kept.has(at) !== expected.has(row)) return null;
  const view = new ChainView(written, resume);
  if (findFaults({ facts: written, resume, view }).some(({ code }) => code !== 'unknown-rows')) return null;
  const { loads, of } = resume.summary;
  return { loads, of, cwd: written.latest.cwd };
}

/** The rows stand in the file in the order of the plan, so that a row's number is its place in it. */
function isAsPlanned({ ids, rows }: TranscriptFacts, plan: ForkPlan): boolean {
  for (let at = 0; at < plan.length; at++) if (ids.text(rows.uuid(at)) !== plan.uuid(at)) return false;
  return true;
}

/** The walk meets every row of the chain that was cut, in the order of the plan. */
function holdsChain(walked: Int32Array, { cut, length }: ForkPlan): boolean {
  const met = new BitSet(length);
  for (const [at, row] of walked.entries()) {
    if (row <= (walked[at - 1] ?? -1)) return false;
    met.add(row);
  }
  let onChain = 0;
  for (const [at, row] of cut.ordered.entries()) {
    if (cut.chain[onChain] !== row) continue;
    onChain++;
    if (!met.has(at)) return false;
  }
  return onChain === cut.chain.length;
}
