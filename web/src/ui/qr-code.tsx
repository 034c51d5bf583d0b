import { clsx } from 'clsx'
import { encode } from 'uqr'

interface QrCodeProps {
  readonly text: string
  /** Its name: 'QR code of the key'. */
  readonly label: string
  /** Its size, and more. */
  readonly className: string
}

/** A QR code, black on white in both themes, as cameras expect it. */
export function QrCode({ text, label, className }: QrCodeProps) {
  const { data, size } = encode(text, { border: 2 })
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x},${y}h1v1h-1z` : []))).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      className={clsx('rounded-md', className)}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
