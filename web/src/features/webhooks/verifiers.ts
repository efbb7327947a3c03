// Code for receivers: verifies X-Service-Signature over the raw body with nothing but the language's own library.
import type { Form } from "../../components/ui/snippet";

const javascript = `import { createHmac, timingSafeEqual } from "node:crypto";

// The event of a delivery. \`rawBody\`: its bytes as they came; \`header\`: X-Service-Signature.
export function verify(rawBody, header, secret) {
  const { t = "", v1 = "" } = Object.fromEntries(header.split(",").map((part) => part.split("=", 2)));
  const wanted = createHmac("sha256", secret).update(t + ".").update(rawBody).digest();
  const given = Buffer.from(v1, "hex");
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new Error("not genuine");
  if (Math.abs(Date.now() - Number(t)) > 5 * 60 * 1000) throw new Error("too old");
  return JSON.parse(rawBody.toString());
}
`;

const python = `import hashlib
import hmac
import json
import time


def verify(raw_body: bytes, header: str, secret: str) -> dict:
    """Returns the event of a delivery. \`header\` is X-Service-Signature."""
    parts = dict(part.split("=", 1) for part in header.split(",") if "=" in part)
    sent_at, given = parts.get("t", ""), parts.get("v1", "")
    wanted = hmac.new(secret.encode(), sent_at.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(wanted.encode(), given.encode()):
        raise ValueError("not genuine")
    if abs(time.time() * 1000 - int(sent_at)) > 5 * 60 * 1000:
        raise ValueError("too old")
    return json.loads(raw_body)
`;

const go = `package hooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Verify checks a delivery: the bytes of its body, and X-Service-Signature.
func Verify(body []byte, header, secret string) error {
	var t, v1 string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(part, "=")
		switch name {
		case "t":
			t = value
		case "v1":
			v1 = value
		}
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	given, err := hex.DecodeString(v1)
	if err != nil || !hmac.Equal(given, mac.Sum(nil)) {
		return errors.New("not genuine")
	}
	ms, err := strconv.ParseInt(t, 10, 64)
	if err != nil || time.Since(time.UnixMilli(ms)).Abs() > 5*time.Minute {
		return errors.New("too old")
	}
	return nil
}
`;

const java = `import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import static java.nio.charset.StandardCharsets.UTF_8;

public final class Webhooks {
  /** Checks a delivery: the bytes of its body, and X-Service-Signature. */
  public static void verify(byte[] body, String header, String secret) throws GeneralSecurityException {
    String t = "", v1 = "";
    for (String part : header.split(",")) {
      if (part.startsWith("t=")) t = part.substring(2);
      if (part.startsWith("v1=")) v1 = part.substring(3);
    }
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    mac.update((t + ".").getBytes(UTF_8));
    String wanted = HexFormat.of().formatHex(mac.doFinal(body));
    if (!MessageDigest.isEqual(wanted.getBytes(UTF_8), v1.getBytes(UTF_8))) throw new SecurityException("not genuine");
    if (Math.abs(System.currentTimeMillis() - Long.parseLong(t)) > 5 * 60 * 1000) throw new SecurityException("too old");
  }
}
`;

const php = `<?php
/** The event of a delivery. $rawBody: file_get_contents('php://input'); $header: $_SERVER['HTTP_X_SERVICE_SIGNATURE']. */
function verify(string $rawBody, string $header, string $secret): array
{
    parse_str(strtr($header, ',', '&'), $parts);
    $sentAt = (string) ($parts['t'] ?? '');
    $wanted = hash_hmac('sha256', $sentAt . '.' . $rawBody, $secret);
    if (!hash_equals($wanted, (string) ($parts['v1'] ?? ''))) {
        throw new RuntimeException('not genuine');
    }
    if (abs(microtime(true) * 1000 - (float) $sentAt) > 5 * 60 * 1000) {
        throw new RuntimeException('too old');
    }
    return json_decode($rawBody, true, flags: JSON_THROW_ON_ERROR);
}
`;

export const verifiers: Form[] = [
  { label: "JavaScript", text: javascript },
  { label: "Python", text: python },
  { label: "Go", text: go },
  { label: "Java", text: java },
  { label: "PHP", text: php },
];
