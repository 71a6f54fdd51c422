import type { WriteFs } from '../../storage/writeFs';
import { readRows } from './readRows';
import { readMessage, type StoredCheckpoint, type StoredMessage } from './storedRow';

export interface LoadedMessages {
  readonly messages: readonly StoredMessage[];
  /** Lines that are no row: cut when their writer died. */
  readonly torn: number;
}

/** The messages that a session consists of, in order. Rejects with Node's error. */
export async function readMessages(path: string, fs: WriteFs): Promise<LoadedMessages> {
  const { rows, torn } = await readRows(path, fs);
  const messages: StoredMessage[] = [];
  for (const row of rows) {
    const read = readMessage(row);
    if (read === null) continue;
    const { after, ...message } = read;
    if (after !== null) leaveAfter(messages, after);
    messages.push(message);
  }
  return { messages, torn };
}

/** What came after a message was left when the session was resumed there. */
function leaveAfter(messages: StoredMessage[], uuid: string): void {
  const at = messages.findLastIndex((message) => message.uuid === uuid);
  if (at >= 0) messages.length = at + 1;
}

/** The checkpoints of the turns that the messages are of. */
export function checkpointsOf(
  messages: readonly StoredMessage[],
  checkpoints: readonly StoredCheckpoint[],
): readonly StoredCheckpoint[] {
  const uuids = new Set(messages.map(({ uuid }) => uuid));
  const endMs = messages.at(-1)?.timeMs ?? 0;
  return checkpoints.filter(({ promptUuid, timeMs }) =>
    promptUuid === null ? timeMs <= endMs : uuids.has(promptUuid),
  );
}
