import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import * as Primitive from '@radix-ui/react-dialog'
import { Command as Box } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import { type Command, commandSources } from './palette-commands.ts'
import { PALETTE, PALETTE_ASKS, PALETTE_INPUT } from './palette-look.ts'

interface Group {
  readonly title: string
  readonly commands: readonly Command[]
}

interface PaletteProps {
  /** What was typed before the palette was loaded; undefined where it did not have to be. */
  readonly begun: string | undefined
  /** Where the focus goes back to, unless a command leads it elsewhere. */
  readonly opener: Element | null
  readonly onClose: () => void
}

/** Ctrl/⌘ K: go to a page, find somebody, act. What is found may offer actions of its own; Escape goes back from them. */
export function Palette({ begun, opener, onClose }: PaletteProps) {
  const [typed, setTyped] = useState(begun ?? '')
  const [found, setFound] = useState<Command>()
  const input = useRef<HTMLInputElement>(null)
  const hasRun = useRef(false)
  const { groups: everything, hasAnswers } = useGroups(found ? '' : typed)
  const groups = found
    ? [{ title: found.label, commands: (found.actions ?? []).filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase())) }]
    : everything
  // The box itself loses its choice when answers come and go: then the first one is chosen again.
  const [chosen, setChosen] = useState('')
  const values = groups.flatMap(({ title, commands }) => commands.map((command) => valueOf(title, command)))
  const goBack = () => {
    setFound(undefined)
    setTyped('')
  }
  const choose = (command: Command) => {
    if (command.actions) {
      setFound(command)
      setTyped('')
    } else {
      hasRun.current = true
      onClose()
      command.run?.()
    }
  }
  return (
    <Primitive.Root open onOpenChange={(open) => !open && onClose()}>
      <Primitive.Portal>
        <div aria-hidden className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <Primitive.Content
          data-dialog
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // Of itself it selects what stands there, and the next letter would replace it.
            event.preventDefault()
            input.current?.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (!hasRun.current && opener instanceof HTMLElement) opener.focus()
          }}
          onEscapeKeyDown={(event) => {
            if (!found) return
            event.preventDefault()
            goBack()
          }}
          className={begun === undefined ? `${PALETTE} animate-appear` : PALETTE}
        >
          <Primitive.Title className="sr-only">Search and commands</Primitive.Title>
          <Box shouldFilter={false} loop label="Search and commands" value={values.includes(chosen) ? chosen : (values[0] ?? '')} onValueChange={setChosen}>
            <Box.Input
              ref={input}
              value={typed}
              onValueChange={setTyped}
              onKeyDown={(event) => event.key === 'Backspace' && typed === '' && goBack()}
              placeholder={found ? `What to do with ${found.label}` : PALETTE_ASKS}
              className={PALETTE_INPUT}
            />
            <Box.List className="max-h-[50vh] overflow-y-auto p-1.5">
              {groups.map(({ title, commands }) => (
                <Box.Group
                  key={title}
                  heading={title}
                  className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-12 [&_[cmdk-group-heading]]:text-muted"
                >
                  {commands.map((command) => (
                    <Box.Item
                      key={command.id}
                      value={valueOf(title, command)}
                      onSelect={() => choose(command)}
                      className="flex h-10 cursor-pointer items-center justify-between gap-3 rounded-md px-2.5 text-14 data-[selected=true]:bg-hover"
                    >
                      <span className="truncate">{command.label}</span>
                      {command.hint !== undefined && <span className="truncate text-12 text-muted">{command.hint}</span>}
                    </Box.Item>
                  ))}
                </Box.Group>
              ))}
            </Box.List>
            {hasAnswers && <Box.Empty className="px-3 py-6 text-center text-muted">Nothing found</Box.Empty>}
          </Box>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

function valueOf(title: string, { id }: Command): string {
  return `${title} ${id}`
}

/** What all sources find, each as soon as it has answered, and whether all have answered once. */
function useGroups(typed: string): { readonly groups: readonly Group[]; readonly hasAnswers: boolean } {
  const [groups, setGroups] = useState<readonly Group[]>([])
  const [hasAnswers, setHasAnswers] = useState(false)
  const router = useRouter()
  const queryClient = useQueryClient()
  useEffect(() => {
    const asked = new AbortController()
    const sources = commandSources()
    const found = new Map<string, readonly Command[]>()
    for (const { title, find } of sources) {
      Promise.resolve(find(typed, { router, queryClient, signal: asked.signal }))
        // A source that fails offers nothing; the others go on.
        .catch((): readonly Command[] => [])
        .then((commands) => {
          if (asked.signal.aborted) return
          found.set(title, commands)
          if (found.size === sources.length) setHasAnswers(true)
          setGroups(sources.flatMap((source) => (found.get(source.title)?.length ? [{ title: source.title, commands: found.get(source.title) ?? [] }] : [])))
        })
    }
    return () => asked.abort()
  }, [typed, router, queryClient])
  return { groups, hasAnswers }
}
