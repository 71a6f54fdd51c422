import type { JSX } from 'preact';
import type { ToolInput, ToolResult } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';
import { MarkdownText } from '../markdown/MarkdownText';
import { ImageView } from '../parts/ImageView';
import { FOLD_LINES, PlainText } from '../parts/PlainText';
import { prettyJson } from '../text/prettyJson';
import { PersistedOutput } from './PersistedOutput';

const MAX_IMAGES = 50;

/** What a tool answered. @param input  of its call, where that is known: a result looks as its tool does */
export function ToolResultView(props: {
  readonly host: BlockHost;
  readonly line: number;
  readonly result: ToolResult;
  readonly input: ToolInput | null;
}): JSX.Element {
  const { host, line, result } = props;
  return (
    <div class={result.isError ? 'block-result block-result-error' : 'block-result'}>
      {result.text !== null && <ResultText {...props} text={result.text} />}
      {result.images.slice(0, MAX_IMAGES).map((image) => (
        <ImageView key={image.path} host={host} line={line} {...image} />
      ))}
      {result.persisted !== null && <PersistedOutput host={host} line={line} result={result} path={result.persisted} />}
      {result.text === null && result.images.length === 0 && result.persisted === null && (
        <span class="block-quiet">{host.t('Nothing was returned.')}</span>
      )}
    </div>
  );
}

function ResultText(props: {
  readonly host: BlockHost;
  readonly line: number;
  readonly result: ToolResult;
  readonly input: ToolInput | null;
  readonly text: NonNullable<ToolResult['text']>;
}): JSX.Element {
  const { host, line, result, input, text } = props;
  const at = { host, line, path: result.path, body: text };
  if (text.text === '' && text.more === 0) return <span class="block-quiet">{host.t('Nothing was returned.')}</span>;
  if (input?.kind === 'agent' && !result.isError) return <MarkdownText {...at} breaks={false} />;
  if (input?.kind === 'json' && /^\s*[[{]/.test(text.text)) {
    return <PlainText {...at} look="code" language="json" format={prettyJson} />;
  }
  const foldLines = isSaid(input) && !result.isError ? 1 : FOLD_LINES;
  return <PlainText {...at} look="terminal" foldLines={foldLines} />;
}

/** What an edit answers when it went well repeats the change that is shown. */
function isSaid(input: ToolInput | null): boolean {
  return input?.kind === 'diff' || input?.kind === 'write' || input?.kind === 'todos';
}
