import type { JudgedRequest } from '../../../providers/claude/request/judgeRequest';
import { imageFacts } from '../../../providers/claude/request/imageFacts';
import type { Fault, JsonPath, Origin } from '../../../providers/claude/request/requestRules';
import { isJsonObject, type JsonObject, objectField, stringField } from '../../../util/json';
import {
  type ContentEdit,
  type FaultCase,
  type InRowEdit,
  type KeepContent,
  replace,
  type Rewritten,
  valueIn,
} from '../faultCase';

const REMOVED =
  'After the API has refused it once, Claude leaves out the media of that message, and perhaps good images of later messages before that.';
const OFFER =
  '`rethread repair --class image` leaves out this image alone, or mends it where only its description is wrong.';

function image(what: string, healing = REMOVED): FaultCase {
  return { what, healing, repair: { action: 'ask', offer: OFFER, edits: mendImage } };
}

export const imageType = image('An image has a type that the API does not accept');
export const imageMismatch = image('An image has another type than the one that it is sent as');
export const imageData = image('An image is empty or not encoded correctly');
export const imageUnreadable = image('An image cannot be read');
export const imagePixels = image('An image has too many pixels');
export const imageBytes = image(
  'An image exceeds 5 MB',
  'Claude refuses one prompt itself and leaves out the image afterwards.',
);

export const imageCount: FaultCase = {
  what: 'There are more than 100 images and pages',
  healing: 'After the API has refused it once, Claude compacts the whole history.',
  repair: {
    action: 'ask',
    offer: '`rethread repair --class image` leaves out only as many of the oldest images as there are too many.',
    edits: ({ origin, also = [] }, request, keep) =>
      [origin, ...also].map((each) => placeText(each, request, keep, 'The API accepts 100 images and pages.')),
  },
};

export const document: FaultCase = {
  what: 'A PDF cannot be read, is protected by a password, or has more than 100 pages',
  healing: REMOVED,
  repair: {
    action: 'ask',
    offer: '`rethread repair --class document` leaves out this document alone.',
    edits: ({ origin }, request, keep) => leaveOut(origin, request, keep, 'The API cannot read this document.'),
  },
};

function mendImage({ origin }: Fault, request: JudgedRequest, keep: KeepContent): readonly ContentEdit[] {
  const source = objectField(mediaAt(request, origin), 'source') ?? {};
  const described = describeAnew(source);
  if (described === null) return leaveOut(origin, request, keep, 'The API does not accept this image.');
  return Object.entries(described)
    .filter(([key, value]) => source[key] !== value)
    .map(([key, value]) => {
      const path = [...origin.path, 'source', key];
      return replace({ ...origin, path }, value, 'The image is good: only its description is wrong.');
    });
}

const MAX_UNITS = 5 * 1024 * 1024;
/** What the API accepts of each of many images. */
const MAX_PIXELS = 2000;

/** The source of an image as it should be; null if the image itself is at fault. */
function describeAnew(source: JsonObject): { readonly media_type: string; readonly data: string } | null {
  const written = stringField(source, 'data') ?? '';
  const data = written.replace(/^data:[^,]*;base64,/, '');
  const bytes = Buffer.from(data, 'base64');
  const facts = data.length <= MAX_UNITS && bytes.toString('base64') === data ? imageFacts(bytes) : null;
  if (facts === null || facts.pixels > MAX_PIXELS) return null;
  const media_type = facts.mediaType;
  return media_type === source['media_type'] && data === written ? null : { media_type, data };
}

/**
 * Claude's own mark behind the message makes Claude send it without its media, which stay in the transcript. It is exact only if the
 * message has no others; otherwise, a text takes the place of the one block.
 */
function leaveOut(origin: Origin, request: JudgedRequest, keep: KeepContent, why: string): readonly ContentEdit[] {
  const media = mediaAt(request, origin)['type'] === 'document' ? 'document' : 'image';
  const carriers = request.stored
    .filter(({ role }) => role === 'user')
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.origin.row === origin.row && mediaIn(block.value, media) > 0);
  const [only, ...others] = carriers;
  const inText = (): InRowEdit => placeText(origin, request, keep, why);
  if (only === undefined || others.length > 0 || mediaIn(only.value, media) > 1) return [inText()];
  return [
    {
      kind: 'insert',
      row: origin.row,
      place: 'behind',
      fields: (uuid) => markOf(media, uuid),
      silences: [only.origin.path satisfies JsonPath],
      otherwise: () => [inText()],
      why: `${why} Claude's own mark behind the message makes Claude send it without the ${media}, which stays in the transcript.`,
    },
  ];
}

function mediaIn({ type, content }: JsonObject, media: string): number {
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  return type === media ? 1 : list.filter((inner) => isJsonObject(inner) && inner['type'] === media).length;
}

/** The row that the client writes after a refusal that it has healed. (docs/format.md, "Refused requests") */
function markOf(media: 'image' | 'document', uuid: string): JsonObject {
  const [what, name] = media === 'image' ? ['an image', 'image'] : ['a document', 'PDF'];
  const error = { type: 'invalid_request_error', message: `Could not process ${name}` };
  return {
    type: 'assistant',
    message: {
      id: uuid,
      type: 'message',
      role: 'assistant',
      model: '<synthetic>',
      content: [
        { type: 'text', text: `API Error: ${what} in the conversation could not be processed and was removed.` },
      ],
      stop_reason: 'stop_sequence',
      stop_sequence: '',
      usage: { input_tokens: 0, output_tokens: 0 },
    },
    isApiErrorMessage: true,
    error: 'invalid_request',
    apiError: 'media_removed',
    apiErrorParams: { media, media_reason: 'unprocessable' },
    errorDetails: `400 ${JSON.stringify({ type: 'error', error })}`,
    healsDistinctCarrier: true,
  };
}

/** A text in the place of an image or a document, which is kept in a file that the text names. */
export function placeText(origin: Origin, request: JudgedRequest, keep: KeepContent, why: string): InRowEdit {
  const value = mediaAt(request, origin);
  const type = value['type'] === 'document' ? 'document' : 'image';
  const to = (json: Buffer): Rewritten => {
    const place = keepMedia(value, json, keep);
    return {
      value: { type: 'text', text: `[${type} removed; ${place}]` },
      why: `${why} A text takes its place; it is ${place}.`,
    };
  };
  return { kind: 'rewrite', row: origin.row, path: origin.path, to, why };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'application/pdf': 'pdf',
};

/** What a block of media can have besides its type without saying more than its file. */
const OF_FILE: ReadonlySet<string> = new Set(['type', 'source', 'cache_control']);

/** As the file that it is, if it is no more than one; otherwise as the block of the transcript. */
function keepMedia(value: JsonObject, json: Buffer, keep: KeepContent): string {
  const source = objectField(value, 'source') ?? {};
  const data = stringField(source, 'data') ?? '';
  const bytes = Buffer.from(data, 'base64');
  const extension = EXTENSIONS[stringField(source, 'media_type') ?? ''];
  const isFile =
    data !== '' && bytes.toString('base64') === data && Object.keys(value).every((key) => OF_FILE.has(key));
  return isFile && extension !== undefined ? keep(bytes, extension) : keep(Buffer.from(json), 'json');
}

function mediaAt(request: JudgedRequest, origin: Origin): JsonObject {
  const value = valueIn(request, origin);
  return isJsonObject(value) ? value : {};
}
