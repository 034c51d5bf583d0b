import type { Session } from '../../query-client.ts'

/** All tabs of a browser share its sessions: what opens or ends in one of them is told to the others. */

export interface SessionMessage {
  readonly session: Session
  readonly what: 'opened' | 'ended'
}

let channel: BroadcastChannel | undefined

/** One for the page: what it says itself it does not hear. */
function shared(): BroadcastChannel {
  return (channel ??= new BroadcastChannel('sessions'))
}

/** Tells the other tabs. */
export function notifyOtherTabs(session: Session, what: SessionMessage['what']): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches this origin only
  shared().postMessage({ session, what } satisfies SessionMessage)
}

/** Hears what the other tabs tell, for as long as the page lives. */
export function onOtherTabs(heard: (news: SessionMessage) => void): void {
  shared().addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    // A tab with another version of the app may say anything.
    if (isSessionMessage(data)) heard(data)
  })
}

function isSessionMessage(value: unknown): value is SessionMessage {
  if (typeof value !== 'object' || value === null || !('session' in value) || !('what' in value)) return false
  return (value.session === 'trader' || value.session === 'admin') && (value.what === 'opened' || value.what === 'ended')
}
