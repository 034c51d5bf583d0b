import * as Primitive from '@radix-ui/react-toast'
import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { dismissToast, type Toast } from '@/toast.ts'
import { AddressLink } from './address-link.tsx'
import { IconButton } from './button.tsx'

/** Shows the current toast in a live region. */
export function Toaster({ toast }: { readonly toast: Toast }) {
  return (
    <Primitive.Provider label="Notification" swipeDirection="left">
      <Primitive.Root
        key={toast.id}
        open={toast.open}
        onOpenChange={(open) => !open && dismissToast()}
        duration={toast.brief ? 8000 : Infinity}
        type={toast.destructive ? 'foreground' : 'background'}
        className={clsx(
          // Takes clicks over a dialog too: the page behind a dialog takes none.
          'pointer-events-auto flex items-start gap-3 rounded-lg border bg-card p-4 shadow-float animate-rise',
          toast.destructive ? 'destructive border-bad' : 'border-line',
        )}
      >
        <div className="min-w-0 flex-1">
          <Primitive.Title className={clsx('text-14 font-semibold', toast.destructive && 'text-bad')}>
            {toast.title}
          </Primitive.Title>
          {toast.description !== undefined && toast.description !== '' && (
            <Primitive.Description className="mt-0.5 text-13 break-words">{toast.description}</Primitive.Description>
          )}
          {toast.link && (
            <Primitive.Action asChild altText={toast.link.text}>
              <AddressLink
                href={toast.link.href}
                className="mt-1 inline-block rounded-sm text-13 underline underline-offset-4"
              >
                {toast.link.text}
              </AddressLink>
            </Primitive.Action>
          )}
        </div>
        <Primitive.Close asChild>
          <IconButton label="Close notification" className="-mt-2 -mr-2">
            <X size={16} aria-hidden />
          </IconButton>
        </Primitive.Close>
      </Primitive.Root>
      {/* Away from the next click: row menus and dialog buttons are at the right and, on a phone, at the bottom. */}
      <Primitive.Viewport className="fixed top-0 left-0 z-60 flex w-full flex-col gap-2 p-4 outline-none sm:top-auto sm:bottom-0 sm:max-w-[420px]" />
    </Primitive.Provider>
  )
}
