import * as Primitive from '@radix-ui/react-toast'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { createElement } from 'react'
import { dismissToast, type Toast } from '@/toast.ts'
import { AddressLink } from './address-link.tsx'
import { IconButton } from './button.tsx'

// Its type lets it return a text.
const Provider = (props: Primitive.ToastProviderProps) => createElement(Primitive.Provider, props)

/** Says how high the toasts are: on a phone or in a low window, which a dialog fills, it begins below them. */
function measure(viewport: HTMLElement | null): (() => void) | undefined {
  if (!viewport) return undefined
  const { style } = document.documentElement
  const observer = new ResizeObserver(() => {
    // Empty, it is as high as its padding.
    const height = viewport.childElementCount === 0 ? 0 : viewport.offsetHeight
    style.setProperty('--toasts', `${height}px`)
  })
  observer.observe(viewport)
  return () => {
    observer.disconnect()
    style.removeProperty('--toasts')
  }
}

/** Shows the current toast in a live region. */
export function Toaster({ toast }: { readonly toast: Toast }) {
  return (
    <Provider label="Notification" swipeDirection="left">
      <Primitive.Root
        key={toast.id}
        open={toast.open}
        onOpenChange={(open) => !open && dismissToast()}
        duration={toast.brief ? 8000 : Infinity}
        type={toast.destructive ? 'foreground' : 'background'}
        className={clsx(
          // Takes clicks over a dialog too, which takes them from what was there before by an inline style.
          'pointer-events-auto! flex items-center gap-3 rounded-md border bg-card px-3 py-1 shadow-float animate-rise',
          toast.destructive ? 'destructive border-bad' : 'border-line',
        )}
      >
        <div className="min-w-0 flex-1 sm:flex sm:flex-wrap sm:items-baseline sm:gap-x-3">
          <Primitive.Title className={clsx('text-14 font-semibold', toast.destructive && 'text-bad')}>
            {toast.title}
          </Primitive.Title>
          {toast.description !== undefined && toast.description !== '' && (
            <Primitive.Description className="max-sm:mt-0.5 text-13 break-words">
              {toast.description}
            </Primitive.Description>
          )}
          {toast.link && (
            <Primitive.Action asChild altText={toast.link.text}>
              <AddressLink
                href={toast.link.href}
                className="inline-block rounded-sm text-13 underline underline-offset-4 max-sm:mt-1"
              >
                {toast.link.text}
              </AddressLink>
            </Primitive.Action>
          )}
        </div>
        <Primitive.Close asChild>
          <IconButton label="Close notification" className="-my-2 -mr-2 self-start">
            <X size={16} aria-hidden />
          </IconButton>
        </Primitive.Close>
      </Primitive.Root>
      {/* Below the bar with the navigation, in the empty strip above a page's title, and over the headings of a table that
          scrolls; a narrow page moves down by it (styles.css). Over the bar while a dialog is open: the bar is out of use then, and
          no dialog reaches it. */}
      <Primitive.Viewport
        ref={measure}
        className="below-bar print:hidden fixed inset-x-0 top-0 z-60 mx-auto flex flex-col outline-none not-empty:max-md:p-1.5 md:max-w-[1248px] md:items-end md:px-6"
      />
    </Provider>
  )
}
