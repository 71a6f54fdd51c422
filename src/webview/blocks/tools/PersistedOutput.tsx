import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ToolResult } from '../../../shared/conversation';
import type { BlockHost } from '../blockHost';
import { PlainText } from '../parts/PlainText';
import { useLoaded } from '../parts/useLoaded';

/** Output that the client keeps in a file of its own, read when a person asks for it. */
export function PersistedOutput(props: {
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
