import type { Translate } from '../../ui/createTranslate';

/** What a model is called: as the rows name it. */
export function modelName(model: string | null, t: Translate): string {
  return model === null || model.trim() === '' ? t('no model named') : model;
}
