import { PROBLEMS, Refusal } from '../write/refusal';
import type { ReadableFile } from '../write/writeFs';
import type { CarriedRows } from './carriedRows';
import type { ForkPlan } from './forkPlan';
import { SourceRows } from './sourceRows';
import { carriedRow, writtenRow } from './writtenRow';

export interface ForkContent {
  /** The source, open to read. */
  readonly file: ReadableFile;
  readonly plan: ForkPlan;
  readonly carried: CarriedRows;
  readonly sessionId: string;
  readonly parentSessionId: string;
  readonly title: string;
}

/**
 * Writes a fork row by row: the conversation, what the session carries on, the file history, and the title at the end, where
 * the client looks for it first. Throws a Refusal when a row does not stand in the source any more.
 */
export async function writeRows(put: (bytes: Uint8Array) => Promise<void>, content: ForkContent): Promise<void> {
  const { file, plan, carried, sessionId, parentSessionId, title } = content;
  const source = new SourceRows(file, plan.cut.facts.fileSize);
  const putRow = async (row: Buffer | null): Promise<void> => {
    if (row === null) throw new Refusal('changed-while-repairing', PROBLEMS.changed);
    await put(row);
  };
  for (let at = 0; at < plan.length; at++) {
    const { offset, link, freshUuid, isOnMainLane } = plan.row(at);
    const forkedFrom = { sessionId: parentSessionId, messageUuid: plan.uuid(at) };
    const change = { link, freshUuid, isOnMainLane, sessionId, forkedFrom };
    await putRow(writtenRow(await source.lineAt(offset), change));
  }
  for (const offset of [...carried.session, ...carried.fileHistory]) {
    await putRow(carriedRow(await source.lineAt(offset), sessionId));
  }
  await putRow(Buffer.from(`${JSON.stringify({ type: 'custom-title', customTitle: title, sessionId })}\n`));
}
