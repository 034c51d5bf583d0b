import { createStoredChoice } from './store.ts'

export const themes = ['system', 'light', 'dark'] as const

/**
 * The theme: light, dark or the system's. public/theme.js applies it before the first paint, styles.css says what it
 * means.
 */
export const theme = createStoredChoice('theme', themes)

theme.subscribe(() => (document.documentElement.dataset['theme'] = theme.get()))
