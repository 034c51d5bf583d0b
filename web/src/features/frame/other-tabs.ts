import type { Session } from '@/api/session.ts'

/** The tabs of a browser share its sessions: each tab announces to the others what it does to a session. */

const announcements = ['opened', 'ending', 'ended'] as const

export interface SessionMessage {
  readonly session: Session
  /** 'ending' before the sign-out is sent, then 'ended', or 'opened' again when it failed. */
  readonly what: (typeof announcements)[number]
}

let channel: BroadcastChannel | undefined

/** One channel per page, which does not receive its own messages. */
function shared(): BroadcastChannel {
  return (channel ??= new BroadcastChannel('sessions'))
}

/** Announces a change to the other tabs. */
export function notifyOtherTabs(session: Session, what: SessionMessage['what']): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches this origin only
  shared().postMessage({ session, what } satisfies SessionMessage)
}

/** Calls `listener` for every announcement of another tab, for the life of the page. */
export function onOtherTabs(listener: (message: SessionMessage) => void): void {
  shared().addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    // A tab with another version of the app may send anything.
    if (isSessionMessage(data)) listener(data)
  })
}

function isSessionMessage(value: unknown): value is SessionMessage {
  if (typeof value !== 'object' || value === null || !('session' in value) || !('what' in value)) return false
  return (value.session === 'trader' || value.session === 'admin') && announcements.some((one) => one === value.what)
}
