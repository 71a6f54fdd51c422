import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ItemRole } from '../../../protocol/conversation';
import { IconButton } from '../../ui/Icon';
import type { Translate } from '../../ui/texts';
import { useApp } from '../conversationApp';
import type { FindState } from './findState';

const ROLES: readonly ItemRole[] = ['user', 'assistant', 'system', 'attachment'];

/** Searches all rows of the view, including those that are not drawn. */
export function FindBar(): JSX.Element | null {
  const { find } = useApp();
  return find.isOpen.value ? <OpenFindBar /> : null;
}

function OpenFindBar(): JSX.Element {
  const { find, t } = useApp();
  const input = useRef<HTMLInputElement>(null);
  const opener = useRef<Element | null>(null);
  const hasFilters = useSignal(find.role.peek() !== null || find.tool.peek() !== '');
  const asked = find.asked.value;
  useLayoutEffect(() => {
    opener.current ??= document.activeElement;
    if (!find.takesFocus) return;
    input.current?.focus();
    input.current?.select();
  }, [asked]);
  const close = (): void => {
    const { current } = opener;
    find.close();
    if (current instanceof HTMLElement && current.isConnected && current !== document.body) current.focus();
    else document.querySelector<HTMLElement>('.scroller')?.focus();
  };
  const problem = find.result.value?.problem ?? null;
  return (
    <div
      class="find-bar"
      role="search"
      aria-label={t('Find in conversation')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
        else if (event.key === 'Enter' && event.target === input.current) find.step(event.shiftKey ? -1 : 1);
        else return;
        event.preventDefault();
      }}
    >
      <div class="find-line">
        <div class={problem === null ? 'find-field' : 'find-field has-problem'}>
          <input
            ref={input}
            type="text"
            class="find-input"
            aria-label={t('Find')}
            placeholder={t('Find')}
            spellcheck={false}
            value={find.text.value}
            aria-invalid={problem !== null}
            onInput={(event) => {
              find.text.value = event.currentTarget.value;
            }}
          />
          <Toggle text="Aa" label={t('Match case')} of={find.isCaseSensitive} />
          <Toggle text=".*" label={t('Use regular expression')} of={find.isRegExp} />
        </div>
        <span class="find-count" role="status" title={rowsText(find, t)}>
          {countText(find, t)}
        </span>
        <span class="find-buttons">
          <IconButton
            icon="arrow-up"
            label={t('Previous match')}
            onPress={() => {
              find.step(-1);
            }}
          />
          <IconButton
            icon="arrow-down"
            label={t('Next match')}
            onPress={() => {
              find.step(1);
            }}
          />
          <IconButton
            icon="filter"
            label={t('Filter by role and tool')}
            isPressed={hasFilters.value}
            onPress={() => {
              hasFilters.value = !hasFilters.value;
              if (!hasFilters.value) [find.role.value, find.tool.value] = [null, ''];
            }}
          />
          <IconButton icon="close" label={t('Close')} onPress={close} />
        </span>
      </div>
      {problem !== null && (
        <p class="find-problem" role="alert">
          {problem}
        </p>
      )}
      {hasFilters.value && <Filters />}
    </div>
  );
}

function Filters(): JSX.Element {
  const { find, t } = useApp();
  const names: Partial<Record<ItemRole, string>> = {
    user: t('You'),
    assistant: t('Claude'),
    system: t('System'),
    attachment: t('Attachments'),
  };
  return (
    <div class="find-filters">
      <select
        class="select"
        aria-label={t('Said by')}
        value={find.role.value ?? ''}
        onChange={(event) => {
          const { value } = event.currentTarget;
          find.role.value = ROLES.find((role) => role === value) ?? null;
        }}
      >
        <option value="">{t('Everybody')}</option>
        {ROLES.map((role) => (
          <option key={role} value={role}>
            {names[role]}
          </option>
        ))}
      </select>
      <input
        type="text"
        class="find-input find-tool"
        aria-label={t('Only this tool')}
        placeholder={t('Any tool')}
        spellcheck={false}
        value={find.tool.value}
        onInput={(event) => {
          find.tool.value = event.currentTarget.value;
        }}
      />
    </div>
  );
}

function Toggle({ text, label, of }: { text: string; label: string; of: { value: boolean } }): JSX.Element {
  return (
    <button
      type="button"
      class="toggle"
      title={label}
      aria-label={label}
      aria-pressed={of.value}
      onClick={() => {
        of.value = !of.value;
      }}
    >
      {text}
    </button>
  );
}

function countText(find: FindState, t: Translate): string {
  const [result, at] = [find.result.value, find.current.value];
  if (result === null || result.hits === 0) return result?.problem === null ? t('No results') : '';
  const total = `${result.hits}${result.isCut ? '+' : ''}`;
  if (at === null) return total;
  const before = result.counts.slice(0, at).reduce((sum, hits) => sum + hits, 0);
  return t('{0} of {1}', before + Math.min(find.hit.value + 1, result.counts[at] ?? 1), total);
}

function rowsText(find: FindState, t: Translate): string | undefined {
  const [result, at] = [find.result.value, find.current.value];
  if (result === null || at === null) return undefined;
  const total = `${result.items.length}${result.isCut ? '+' : ''}`;
  return total === '1' ? t('1 of 1 message') : t('{0} of {1} messages', at + 1, total);
}
