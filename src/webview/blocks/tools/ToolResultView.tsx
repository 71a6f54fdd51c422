import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ToolInput, ToolResult } from '../../../protocol/conversation';
import type { BlockHost } from '../blockHost';
import { MarkdownText } from '../markdown/MarkdownText';
import { ImageView } from '../parts/ImageView';
import { FOLD_LINES, PlainText, useLoaded } from '../parts/PlainText';
import { prettyJson } from '../text/texts';

const MAX_IMAGES = 50;

/** The result of a tool. @param input  of its call, if known: it determines how the result is shown */
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
  const foldLines = repeatsShownChange(input) && !result.isError ? 1 : FOLD_LINES;
  return <PlainText {...at} look="terminal" foldLines={foldLines} />;
}

/** Whether the result only repeats the shown change, as that of a successful edit does. */
function repeatsShownChange(input: ToolInput | null): boolean {
  return input?.kind === 'diff' || input?.kind === 'write' || input?.kind === 'todos';
}

/** Output that the client stores in a separate file, read on request. */
function PersistedOutput(props: {
  readonly host: BlockHost;
  readonly line: number;
  readonly result: ToolResult;
  readonly path: string;
}): JSX.Element {
  const { host, line, result, path } = props;
  const key = `${result.path}#persisted`;
  const isAsked = host.expanded.get(line, key) === true;
  const [attempt, setAttempt] = useState(0);
  const loaded = useLoaded(`${host.filePath}\npersisted\n${path}\n${attempt}`, isAsked, () => host.persisted(path));
  if (loaded?.kind === 'there') {
    return <PlainText host={host} line={line} path={key} body={{ text: loaded.text, more: 0 }} look="terminal" />;
  }
  if (loaded?.kind === 'waiting') {
    return (
      <span class="block-quiet" role="status">
        {host.t('Loading…')}
      </span>
    );
  }
  return (
    <div class="block-more">
      {loaded?.kind === 'gone' && <span role="status">{host.t('The file of the output is not there any more.')}</span>}
      <button
        type="button"
        class="block-link"
        title={path}
        onClick={() => {
          host.expanded.set(line, key, true);
          if (loaded?.kind === 'gone') setAttempt(attempt + 1);
        }}
      >
        {loaded?.kind === 'gone' ? host.t('Try again') : host.t('Show the whole output (file)')}
      </button>
    </div>
  );
}
