import { Monitor, Moon, Sun } from 'lucide-react'
import { chooseTheme, themes, useTheme } from '../../theme.ts'
import { IconButton } from '../../ui/button.tsx'

const icons = { system: Monitor, light: Sun, dark: Moon } as const

/** Cycles through system, light and dark; the choice is stored. */
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
