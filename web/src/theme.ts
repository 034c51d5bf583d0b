import { useSyncExternalStore } from 'react'

/** Light, dark, or as the system has it. Before the first paint public/theme.js does the same. */

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function chosen(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem('theme')) ?? 'system'
  } catch {
    return 'system'
  }
}

function apply(): void {
  const theme = chosen()
  const dark = theme === 'dark' || (theme === 'system' && systemIsDark.matches)
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

systemIsDark.addEventListener('change', apply)
// Another tab of the same person.
addEventListener('storage', apply)

/** Chooses a theme and remembers it. */
export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem('theme')
    else localStorage.setItem('theme', theme)
  } catch {
    // Without storage it can't be remembered, nor read back: it stays with the system's theme.
  }
  apply()
}

/** The theme that was chosen. */
export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, chosen)
}
