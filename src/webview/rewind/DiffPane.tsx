import { signal } from '@preact/signals';
import type { ComponentProps, JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ListedFile } from '../../protocol/channels/rewindView';
import type { ToolInput } from '../../protocol/conversation';
import type { FileComparison } from '../../protocol/history';
import { VisibleText } from '../blocks/parts/VisibleText';
import { DiffView } from '../blocks/tools/DiffView';
import '../blocks/block.css';
import '../blocks/code/code.css';
import '../blocks/tools/tools.css';
import { type RewindApp, useApp } from './rewindApp';

type Answer = { readonly kind: 'waiting' } | { readonly kind: 'failed'; readonly why: string } | FileComparison;

/** What changes in one file: what it holds, and what it holds after the rewind. */
export function DiffPane({ file, token }: { file: ListedFile; token: string }): JSX.Element {
  const app = useApp();
  const { t } = app;
  const { path, name, change } = file;
  const answer = useComparison(file, token);
  const hasDiff = answer.kind === 'lines' && answer.hunks.length > 0;
  return (
    <section class="diff" aria-label={t('What changes in {0}', name)}>
      <div class="diff-head">
        <h2 class="diff-name">
          <VisibleText text={name} />
        </h2>
        <span class="diff-buttons">
          {change !== 'create' && (
            <button
              type="button"
              class="text-button"
              onClick={() => {
                app.act({ kind: 'openFile', path });
              }}
            >
              {t('Open File')}
            </button>
          )}
          {hasDiff && (
            <button
              type="button"
              class="text-button"
              onClick={() => {
                app.act({ kind: 'openDiff', path });
              }}
            >
              {t('Open in Diff Editor')}
            </button>
          )}
        </span>
      </div>
      {/* Scrolled with the keyboard. */}
      <div class="diff-body" role="group" aria-label={t('Lines')} tabIndex={0} aria-busy={answer.kind === 'waiting'}>
        <DiffBody answer={answer} file={file} />
      </div>
    </section>
  );
}

function useComparison({ path, group }: ListedFile, token: string): Answer {
  const { compare } = useApp();
  const key = `${token}\n${path}`;
  const [answered, setAnswered] = useState<{ readonly key: string; readonly answer: Answer } | null>(null);
  const isWanted = group !== 'left';
  useEffect(() => {
    if (!isWanted) return undefined;
    let isCurrent = true;
    const settle = (answer: Answer): void => {
      if (isCurrent) setAnswered({ key, answer });
    };
    compare(path).then(settle, (error: unknown) => {
      settle({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
    });
    return () => {
      isCurrent = false;
    };
  }, [key, isWanted]);
  return answered?.key === key ? answered.answer : { kind: 'waiting' };
}

function DiffBody({ answer, file }: { answer: Answer; file: ListedFile }): JSX.Element {
  const { t } = useApp();
  if (file.group === 'left') return <p class="diff-note">{file.why ?? t('This file stays as it is.')}</p>;
  switch (answer.kind) {
    case 'waiting':
      return <p class="diff-note">{t('Comparing…')}</p>;
    case 'failed':
      return <p class="diff-note">{answer.why}</p>;
    case 'binary':
      return <p class="diff-note">{t('This file is binary: its content is not shown.')}</p>;
    case 'tooLarge':
      return <p class="diff-note">{t('This file is too large to compare here.')}</p>;
    case 'unreadable':
      return <p class="diff-note">{t('This file, or its copy, cannot be read any more.')}</p>;
    case 'lines':
      return answer.hunks.length === 0 ? (
        <p class="diff-note">{noLinesText(file, t)}</p>
      ) : (
        <Lines {...answer} file={file} />
      );
  }
}

function noLinesText({ change, facts }: ListedFile, t: RewindApp['t']): string {
  if (change === 'delete') return t('This empty file is deleted.');
  if (change === 'create') return t('This empty file comes back.');
  return facts === '' ? t('No line differs.') : t('No line differs: {0}.', facts);
}

function Lines({
  hunks,
  more,
  file,
}: FileComparison & { readonly kind: 'lines' } & { readonly file: ListedFile }): JSX.Element {
  const app = useApp();
  const { path } = file;
  const host = useMemo(() => createDiffHost(app), [app, path]);
  const input = { kind: 'diff', filePath: path, hunks, more } satisfies ToolInput;
  return (
    <div class="block-view">
      <DiffView input={input} line={1} path="diff" host={host} />
    </div>
  );
}

/** The diff is unfolded from the beginning, since it is what the pane is for. */
function createDiffHost({ locale, t }: RewindApp): ComponentProps<typeof DiffView>['host'] {
  const folded = signal<ReadonlySet<string>>(new Set());
  return {
    locale,
    t,
    expanded: {
      get: (_line, path) => !folded.value.has(path),
      getSinceFound: () => null,
      set: (_line, path, isExpanded) => {
        const paths = new Set(folded.peek());
        if (isExpanded) paths.delete(path);
        else paths.add(path);
        folded.value = paths;
      },
    },
    found: () => null,
  };
}
