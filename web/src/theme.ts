import { createStore, useStore } from './store.ts'

/** The theme: light, dark or the system's. public/theme.js applies it before the first paint. */

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')

function stored(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem('theme')) ?? 'system'
  } catch {
    return 'system'
  }
}

const current = createStore(stored())

function apply(): void {
  const theme = stored()
  const dark = theme === 'dark' || (theme === 'system' && systemIsDark.matches)
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
  current.set(theme)
}

systemIsDark.addEventListener('change', apply)
// Changed in another tab.
addEventListener('storage', apply)

/** Applies and stores a theme. */
export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem('theme')
    else localStorage.setItem('theme', theme)
  } catch {
    // Without storage the system's theme stays.
  }
  apply()
}

/** The stored theme. */
export function useTheme(): Theme {
  return useStore(current)
}
