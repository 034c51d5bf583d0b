import { useReachability } from '@/api/reachability.ts'

/** A thin line while the server cannot be reached. The page stays, and continues by itself. */
export function ConnectionLine() {
  const reachability = useReachability()
  return (
    <div role="status">
      {reachability !== 'reachable' && (
        <p className="pointer-events-none fixed inset-x-0 bottom-0 z-60 flex h-6 items-center justify-center bg-waiting-soft px-4 text-12 font-medium text-waiting">
          {reachability === 'offline'
            ? 'You are offline. This page waits for the connection.'
            : 'Connection lost. Reconnecting…'}
        </p>
      )}
    </div>
  )
}
