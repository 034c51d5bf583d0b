import { createStoredChoice } from './store.ts'

export const themes = ['system', 'light', 'dark'] as const

/**
 * The theme: light, dark or the system's. public/before-app.js applies it before the first paint, styles.css says what it
 * means.
 */
export const theme = createStoredChoice('theme', themes)

const apply = () => (document.documentElement.dataset['theme'] = theme.get())
// The file that runs before the app may not have arrived.
apply()
theme.subscribe(apply)
