import type { JSX } from 'preact';
import { Icon } from '../../ui/Icon';
import type { Translate } from '../../ui/createTranslate';
import { Menu } from '../../ui/Menu';
import { useApp } from '../conversationApp';

/** Healthy, or what is wrong: each finding leads to its first line. */
export function HealthBadge(): JSX.Element {
  const { store, t, act } = useApp();
  const { findings } = store.head.value;
  const errors = findings.filter(({ severity }) => severity === 'error');
  const worst =
    errors.length > 0 ? 'error' : findings.some(({ severity }) => severity === 'warning') ? 'warning' : null;
  if (findings.length === 0)
    return (
      <span class="health is-healthy">
        <Icon name="check" />
        {t('Healthy')}
      </span>
    );
  return (
    <>
      <Menu
        label={t('Findings: {0}', words(findings.length, errors.length, t))}
        buttonClass={`health chip is-${worst ?? 'healthy'}`}
        button={
          <>
            <Icon name={worst ?? 'check'} />
            {words(findings.length, errors.length, t)}
            <Icon name="chevron-down" />
          </>
        }
        items={findings.map((finding) => ({
          label: finding.message,
          icon: finding.severity === 'error' ? 'error' : 'warning',
          onChoose: () => {
            const [line] = finding.lines;
            if (line !== undefined) void store.reveal(line);
          },
        }))}
      />
      {errors.some(({ action }) => action !== 'tell') && (
        <button
          type="button"
          class="button is-small"
          onClick={() => {
            act({ kind: 'repair' });
          }}
        >
          <Icon name="wrench" />
          {t('Repair…')}
        </button>
      )}
    </>
  );
}

function words(all: number, errors: number, t: Translate): string {
  if (errors > 0) return errors === 1 ? t('1 error') : t('{0} errors', errors);
  return all === 1 ? t('1 finding') : t('{0} findings', all);
}
