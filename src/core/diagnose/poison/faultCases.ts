import type { RuleName } from '../../providers/claude/request/requestRules';
import { blockType, cacheCount, extraField, strayEntry } from './cases/blocks';
import * as media from './cases/media';
import { requestSize } from './cases/requestSize';
import { firstRole, sameRoles } from './cases/roles';
import { serverCallAlone, serverId, serverResultAlone } from './cases/serverTools';
import { loneSurrogate, noBlocks, promptBlank, promptEmpty, textEmpty, textEmptyCached } from './cases/texts';
import * as thinking from './cases/thinking';
import { callIdTwice, toolId, toolInput, toolName } from './cases/toolCalls';
import * as results from './cases/toolResults';
import type { FaultCase } from './faultCase';

/** How the fault of each rule is described and repaired. */
export const FAULT_CASES: Readonly<Record<RuleName, FaultCase>> = {
  'tool-input': toolInput,
  'tool-id': toolId,
  'tool-name': toolName,
  'call-id-twice': callIdTwice,
  'result-behind-text': results.resultBehindText,
  'call-alone': results.callAlone,
  'result-alone': results.resultAlone,
  'result-twice': results.resultTwice,
  'result-misplaced': results.resultMisplaced,
  'error-empty': results.errorEmpty,
  'error-null': results.errorNull,
  'error-with-others': results.errorWithOthers,
  'result-object': results.resultObject,
  'inner-type': results.innerType,
  'inner-text-empty': results.innerTextEmpty,
  'block-type': blockType,
  'stray-entry': strayEntry,
  'extra-field': extraField,
  'cache-count': cacheCount,
  'prompt-blank': promptBlank,
  'prompt-empty': promptEmpty,
  'text-empty': textEmpty,
  'text-empty-cached': textEmptyCached,
  'no-blocks': noBlocks,
  'lone-surrogate': loneSurrogate,
  'server-id': serverId,
  'server-result-alone': serverResultAlone,
  'server-call-alone': serverCallAlone,
  'thinking-text': thinking.thinkingText,
  'thinking-field': thinking.thinkingField,
  'thinking-hollow': thinking.thinkingHollow,
  'thinking-unsigned': thinking.thinkingUnsigned,
  'thinking-modified': thinking.thinkingModified,
  'thinking-alone': thinking.thinkingAlone,
  'image-type': media.imageType,
  'image-mismatch': media.imageMismatch,
  'image-data': media.imageData,
  'image-unreadable': media.imageUnreadable,
  'image-pixels': media.imagePixels,
  'image-bytes': media.imageBytes,
  'image-count': media.imageCount,
  document: media.document,
  'first-role': firstRole,
  'same-roles': sameRoles,
  'request-size': requestSize,
};
