import { Monitor, Moon, Sun } from 'lucide-react'
import { chooseTheme, themes, useTheme } from '../../theme.ts'
import { IconButton } from '../../ui/button.tsx'

const icons = { system: Monitor, light: Sun, dark: Moon } as const

/** Goes from the system's theme to light to dark and round again; the choice is remembered. */
export function ThemeSwitch() {
  const theme = useTheme()
  const Icon = icons[theme]
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return (
    <IconButton label={`Theme: ${theme}. Switch to ${next}`} onClick={() => chooseTheme(next)}>
      <Icon size={16} aria-hidden />
    </IconButton>
  )
}
