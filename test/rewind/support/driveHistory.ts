import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Random } from '../../support/random';
import type { Place } from './place';
import { TurnDrawer, type FileOperation } from './randomTurns';
import type { RewindClient } from './rewindClient';
import { promptFor, type ToolCall, type Turn } from './scriptedReplies';

/** Lets the real client create a history of the given number of prompts. Resolves with the prompts' uuids. */
export async function driveHistory(
  place: Place,
  client: RewindClient,
  random: Random,
  prompts: number,
): Promise<readonly string[]> {
  const drawer = new TurnDrawer(random);
  const uuids: string[] = [];
  for (let at = 0; at < prompts; at++) {
    const uuid = randomUUID();
    uuids.push(uuid);
    const turn: Turn = drawer.draw().flatMap((operation) => callsFor(operation, place.root));
    await client.prompt(promptFor(`Prompt ${at + 1}.`, turn), uuid);
  }
  return uuids;
}

/** The client edits only files that it has read. */
function callsFor(operation: FileOperation, root: string): ToolCall[][] {
  const path = join(root, operation.path);
  const read: ToolCall = { name: 'Read', input: { file_path: path } };
  switch (operation.kind) {
    case 'write':
      return [[read], [{ name: 'Write', input: { file_path: path, content: operation.content } }]];
    case 'edit': {
      const { from, to } = operation;
      return [[read], [{ name: 'Edit', input: { file_path: path, old_string: from, new_string: to } }]];
    }
    case 'shellWrite':
      return [
        [shell(`mkdir -p "$(dirname ${quoted(path)})"; printf %s ${quoted(operation.content)} > ${quoted(path)}`)],
      ];
    case 'remove':
      return [[shell(`rm -f ${quoted(path)}`)]];
    case 'rename': {
      const to = quoted(join(root, operation.to));
      return [[shell(`mkdir -p "$(dirname ${to})"; mv -f ${quoted(path)} ${to}`)]];
    }
    case 'chmod':
      return [[shell(`chmod ${operation.mode.toString(8)} ${quoted(path)}`)]];
  }
}

function shell(command: string): ToolCall {
  return { name: 'Bash', input: { command, description: 'change files' } };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
