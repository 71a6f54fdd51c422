import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Conversation, type ConversationExports, createConversationExports } from '../../../rooms/conversation';
import { nodeWriteFs, type WriteFs } from '../../../rooms/storage';
import { createPacer } from '../../../rooms/util';
import type { ExportEvents, ExportRequest } from '../../../../src/protocol/channels/exports';
import { jsonl } from '../search/searchFiles';
import { plainScanner } from '../../../support/plainScanner';

/** Exports transcripts on the disk, as the worker does. */
export function createExports(
  parts: {
    readonly fs?: WriteFs;
    readonly events?: ExportEvents;
    readonly now?: () => number;
    readonly configDir?: string;
  } = {},
): ConversationExports {
  return createConversationExports({
    open: (filePath) =>
      new Conversation({
        createScanner: plainScanner,
        pacer: createPacer(10),
        filePath,
        isLive: () => false,
      }),
    write: { fs: parts.fs ?? nodeWriteFs, random: () => 'token' },
    configDir: () => parts.configDir ?? null,
    events: parts.events ?? { exportProgress: () => undefined },
    ...(parts.now === undefined ? {} : { now: parts.now }),
  });
}

/** Exports all rows of a transcript, in file order, to a file beside it. */
export function requestFor(folder: string, fields: Partial<ExportRequest> = {}): ExportRequest {
  return {
    filePath: join(folder, 'session.jsonl'),
    view: { kind: 'file' },
    format: 'json',
    isRedacted: true,
    isPossibleRedacted: false,
    target: join(folder, 'out'),
    ...fields,
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Writes a transcript of these messages, each the child of the one before. */
export async function writeMessages(folder: string, messages: readonly (readonly [string, unknown])[]): Promise<void> {
  const rows = messages.map(([type, content], at): Fields => ({
    parentUuid: at === 0 ? null : uuidOf(at - 1),
    isSidechain: false,
    type,
    message: { role: type, content, ...(type === 'assistant' ? { id: `msg_${at}` } : {}) },
    uuid: uuidOf(at),
    timestamp: new Date(Date.UTC(2026, 0, 1, 10, 0, at)).toISOString(),
    sessionId: 'session',
  }));
  await writeFile(join(folder, 'session.jsonl'), jsonl(...rows));
}

function uuidOf(at: number): string {
  return `00000000-0000-4000-8000-${at.toString(16).padStart(12, '0')}`;
}
