import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import * as Primitive from '@radix-ui/react-dialog'
import { Command as Box } from 'cmdk'
import { useEffect, useRef, useState } from 'react'
import { Portal, Root } from '@/ui/dialog.tsx'
import { usePageInert } from '@/ui/use-page-inert.ts'
import { type Command, type CommandSource, PALETTE, PALETTE_ASKS, PALETTE_INPUT } from './palette-commands.ts'

interface Group {
  readonly title: string
  readonly commands: readonly Command[]
}

interface PaletteProps {
  readonly sources: readonly CommandSource[]
  /** Text typed while the palette was loading; undefined when it was loaded before. */
  readonly initial: string | undefined
  /** Gets the focus back, unless a command moves it elsewhere. */
  readonly opener: Element | null
  readonly onClose: () => void
}

/** Ctrl/⌘ K: go to a page, find a trader, act. A result may offer actions of its own; Escape leaves them. */
export function Palette({ sources, initial, opener, onClose }: PaletteProps) {
  const [typed, setTyped] = useState(initial ?? '')
  const [found, setFound] = useState<Command>()
  const input = useRef<HTMLInputElement>(null)
  const hasRun = useRef(false)
  usePageInert()
  const { groups: everything, hasAnswers } = useGroups(sources, found ? '' : typed)
  const groups = found
    ? [
        {
          title: found.label,
          commands: (found.actions ?? []).filter(({ label }) =>
            label.toLowerCase().includes(typed.trim().toLowerCase()),
          ),
        },
      ]
    : everything
  // cmdk loses its selection when results change: the first result is selected again.
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
    <Root open onOpenChange={(open) => !open && onClose()}>
      <Portal>
        <div aria-hidden className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <Primitive.Content
          data-dialog
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            // The default selects the text, and the next key would replace it.
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
          className={initial === undefined ? `${PALETTE} animate-appear` : PALETTE}
        >
          <Primitive.Title className="sr-only">Search and commands</Primitive.Title>
          <Box
            shouldFilter={false}
            loop
            label="Search and commands"
            value={values.includes(chosen) ? chosen : (values[0] ?? '')}
            onValueChange={setChosen}
          >
            <Box.Input
              ref={input}
              value={typed}
              onValueChange={setTyped}
              onKeyDown={(event) => event.key === 'Backspace' && typed === '' && goBack()}
              placeholder={found ? `Choose an action for ${found.label}` : PALETTE_ASKS}
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
                      {command.hint !== undefined && (
                        <span className="truncate text-12 text-muted">{command.hint}</span>
                      )}
                    </Box.Item>
                  ))}
                </Box.Group>
              ))}
            </Box.List>
            {hasAnswers && <Box.Empty className="px-3 py-6 text-center text-muted">Nothing found</Box.Empty>}
          </Box>
        </Primitive.Content>
      </Portal>
    </Root>
  )
}

function valueOf(title: string, { id }: Command): string {
  return `${title} ${id}`
}

/** Results of all sources, each as soon as it answers, and whether all have answered once. */
function useGroups(
  sources: readonly CommandSource[],
  typed: string,
): { readonly groups: readonly Group[]; readonly hasAnswers: boolean } {
  const [groups, setGroups] = useState<readonly Group[]>([])
  const [hasAnswers, setHasAnswers] = useState(false)
  const router = useRouter()
  const queryClient = useQueryClient()
  useEffect(() => {
    const search = new AbortController()
    const found = new Map<string, readonly Command[]>()
    for (const { title, find } of sources) {
      Promise.resolve(find(typed, { router, queryClient, signal: search.signal }))
        // A failing source offers nothing; the others continue.
        .catch((): readonly Command[] => [])
        .then((commands) => {
          if (search.signal.aborted) return
          found.set(title, commands)
          if (found.size === sources.length) setHasAnswers(true)
          setGroups(
            sources.flatMap((source) =>
              found.get(source.title)?.length ? [{ title: source.title, commands: found.get(source.title) ?? [] }] : [],
            ),
          )
        })
    }
    return () => search.abort()
  }, [sources, typed, router, queryClient])
  return { groups, hasAnswers }
}
