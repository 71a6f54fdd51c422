import type { ContentBlock } from '../../../shared/conversation';
import { isJsonObject, objectField, stringField, type JsonObject } from '../../claude/json';
import { cutText, MAX_UNITS } from './cutText';
import { describeImage } from './describeImage';
import { asWords } from './describeSystem';
import { noteBlock, rawBlock } from './quietBlocks';
import { plainText } from './valueText';

/** Fields that hold what an attachment says, in the order in which they are looked for. */
const TEXT_FIELDS = ['snippet', 'text', 'content', 'stdout', 'message', 'summary'];
/** Fields that name what it is about. */
const NAME_FIELDS = ['displayPath', 'filename', 'path', 'description', 'hookName', 'name', 'date'];

/** What was put into the conversation beside the messages: quiet, but for prompts that had to wait. */
export function describeAttachment(row: JsonObject, pathPrefix: string): readonly ContentBlock[] {
  const attachment = objectField(row, 'attachment');
  if (attachment === null) return [rawBlock('attachment', pathPrefix, row)];
  const path = `${pathPrefix}attachment`;
  const type = stringField(attachment, 'type') ?? 'attachment';
  if (type === 'queued_command') {
    const prompt = plainText(attachment['prompt']);
    if (prompt !== null) return [{ kind: 'text', path: `${path}.prompt`, body: cutText(prompt, MAX_UNITS.text) }];
  }
  const title = titleOf(type, attachment);
  const image = imageOf(attachment, path);
  if (image !== null) return [noteBlock(title, path), image];
  const file = objectField(objectField(attachment, 'content') ?? {}, 'file');
  const fileText = file === null ? null : stringField(file, 'content');
  if (fileText !== null) return [noteBlock(title, `${path}.content.file.content`, fileText)];
  for (const key of TEXT_FIELDS) {
    const text = stringField(attachment, key);
    if (text !== null && text !== '') return [noteBlock(title, `${path}.${key}`, text)];
  }
  return [noteBlock(title, path, attachment)];
}

function titleOf(type: string, attachment: JsonObject): string {
  for (const key of NAME_FIELDS) {
    const name = stringField(attachment, key);
    if (name !== null && name !== '') return `${asWords(type)}: ${name}`;
  }
  return asWords(type);
}

/** A picture that a person put in: `content.file` of the attachment. */
function imageOf(attachment: JsonObject, path: string): ContentBlock | null {
  const content = attachment['content'];
  if (!isJsonObject(content) || content['type'] !== 'image') return null;
  return (
    describeImage(content['file'], `${path}.content.file`) ?? describeImage(content['source'], `${path}.content.source`)
  );
}
