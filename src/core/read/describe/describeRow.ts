import type { ContentBlock, ItemRole, RowItem } from '../../../shared/conversation';
import { isJsonObject, objectField, stringField, type JsonObject } from '../../claude/json';
import { isKnownRowType } from '../../claude/rowTypes';
import { oneLine, shortId } from './cutText';
import { describeAttachment } from './describeAttachment';
import { describeMessage } from './describeMessage';
import { describeProgress } from './describeProgress';
import { describeSystem } from './describeSystem';
import { noteBlock, rawBlock } from './quietBlocks';
import type { RowContext } from './rowContext';

const ROLES: ReadonlySet<string> = new Set<ItemRole>(['user', 'assistant', 'system', 'attachment', 'progress']);
/** The model that the client names for replies it writes itself. */
const SYNTHETIC_MODEL = '<synthetic>';

/** A parsed row, ready to be shown. Takes any JSON: what is not as any client writes it is shown as it is. */
export function describeRow(row: unknown, context: RowContext): RowItem {
  const object = isJsonObject(row) ? row : {};
  const role = roleOf(object);
  const message = objectField(object, 'message') ?? {};
  const model = role === 'assistant' ? stringField(message, 'model') : null;
  return {
    kind: 'row',
    line: context.line,
    uuid: shortId(stringField(object, 'uuid')),
    role,
    timeMs: timeOf(object),
    isLoaded: context.isLoaded,
    isSidechain: Boolean(object['isSidechain']),
    continues: context.continues,
    model: model === SYNTHETIC_MODEL || model === '' ? null : model === null ? null : oneLine(model),
    blocks: isJsonObject(row) ? blocksOf(row, role, context) : [rawBlock('JSON', context.pathPrefix, row)],
    branches: context.branches,
    ...(context.moreBranches !== undefined && { moreBranches: context.moreBranches }),
  };
}

function blocksOf(row: JsonObject, role: ItemRole, context: RowContext): readonly ContentBlock[] {
  switch (role) {
    case 'user':
    case 'assistant':
      return describeMessage(row, role, context);
    case 'system':
      return [describeSystem(row, context)];
    case 'attachment':
      return describeAttachment(row, context.pathPrefix);
    case 'progress':
      return [describeProgress(row, context.pathPrefix)];
    case 'unknown':
      return [describeOther(row, context.pathPrefix)];
  }
}

function roleOf(row: JsonObject): ItemRole {
  const type = stringField(row, 'type') ?? '';
  // SAFETY: the set holds members of this type alone.
  return ROLES.has(type) ? (type as ItemRole) : 'unknown';
}

/** A row without a place in the tree: quiet where a client is known to write it, else as it is. */
function describeOther(row: JsonObject, path: string): ContentBlock {
  const type = stringField(row, 'type');
  if (type !== null && isKnownRowType(type)) return noteBlock(type, path, row);
  return rawBlock(type ?? 'JSON', path, row);
}

function timeOf(row: JsonObject): number | null {
  const time = Date.parse(stringField(row, 'timestamp') ?? '');
  return Number.isNaN(time) ? null : time;
}
