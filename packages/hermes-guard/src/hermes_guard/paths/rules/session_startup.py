"""Rules for files that run when a desktop or login session begins."""

from hermes_guard.paths.rule import WRITE, PathRule

_RUNS = frozenset({"exec"})

# Window managers, bars, launchers, and handlers of keys or events.
_DESKTOPS = (
    "~/.xmonad/**", "~/.config/xmonad/**", "~/.config/qtile/**", "~/.config/herbstluftwm/**", "~/.config/leftwm/**",
    "~/.spectrwm.conf", "~/.config/spectrwm/**", "~/.fluxbox/**", "~/.icewm/**", "~/.config/icewm/**", "~/.jwmrc",
    "~/.config/jwm/**", "~/.fvwm/**", "~/.fvwm2rc", "~/.fvwmrc", "~/gnustep/**", "~/.e/**", "~/.config/labwc/**",
    "~/.config/wayfire*", "~/.config/wayfire/**", "~/.config/weston.ini", "~/.config/hikari/**", "~/.stumpwmrc",
    "~/.stumpwm.d/**", "~/.config/stumpwm/**", "~/.sawfish/**", "~/.sawfishrc", "~/.ratpoisonrc", "~/.notion/**",
    "~/.cwmrc", "~/.twmrc", "~/.ctwmrc", "~/.mwmrc", "~/.dwm/**", "~/.config/dwm/**", "~/.local/share/dwm/**",
    "~/.blackboxrc", "~/.config/dk/**", "~/.config/berry/**", "~/.config/i3status*/**", "~/.i3status.conf",
    "~/.i3blocks.conf", "~/.config/i3blocks/**", "~/.config/i3-*/**", "~/.config/polybar/**", "~/.config/waybar/**",
    "~/.config/eww/**", "~/.config/ags/**", "~/.config/quickshell/**", "~/.config/yambar/**", "~/.config/ironbar/**",
    "~/.config/tint2/**", "~/.config/lemonbar/**", "~/.xmobarrc", "~/.config/xmobar/**", "~/.conkyrc",
    "~/.config/conky/**", "~/.config/dunst/**", "~/.config/swaync/**", "~/.config/mako/**", "~/.config/rofi/**",
    "~/.config/wofi/**", "~/.config/fuzzel/**", "~/.config/tofi/**", "~/.config/swayidle/**", "~/.config/swaylock/**",
    "~/.config/xidlehook/**", "~/.xbindkeysrc*", "~/.config/autorandr/**", "~/.config/kanshi/**", "~/.screenlayout/**",
    "~/.config/espanso/**", "~/.config/ulauncher/**", "~/.local/share/ulauncher/**", "~/.config/albert*",
    "~/.config/albert/**", "~/.config/synapse/**", "~/.config/kmonad/**", "~/.config/kanata/**", "~/.config/xremap/**",
    "~/.config/swhkd/**", "~/.config/input-remapper*/**", "~/.config/autokey/**", "~/.config/actiona/**",
    "~/.config/kglobalshortcutsrc", "~/.config/khotkeysrc", "~/.config/ksmserverrc", "~/.config/kwinrc",
    "~/.config/kdeglobals", "~/.config/plasma*", "~/.config/plasma-workspace/**", "~/.config/xfce4/**",
    "~/.config/lxqt/**", "~/.config/lxpanel/**", "~/.config/pcmanfm*/**", "~/.config/dconf/**", "~/.config/cosmic/**",
    "~/.config/cinnamon*/**", "~/.gconf/**", "~/.config/mate/**", "~/.config/budgie*/**", "~/.config/pulse/**",
    "~/.pulse/**", "~/.config/pipewire/**", "~/.config/wireplumber/**", "~/.local/share/wireplumber/**", "~/.asoundrc",
    "~/.mpdconf", "~/.config/mpd/**", "~/.lircrc", "~/.config/lirc/**", "~/.config/xsettingsd/**", "~/.xsettingsd",
    "~/.xdefaults*", "~/.config/gtk-*/gtkrc*", "~/.gtkrc*", "~/.config/uwsm/**", "~/.config/greetd/**", "~/.dmrc",
    "~/.wayland-session", "~/.sessionrc", "~/.gnomerc", "~/.kde*/autostart/**", "~/.kde*/env/**",
    "~/.config/session/**", "~/.config/x11/**", "~/.local/share/xsessions/**", "~/.local/share/wayland-sessions/**",
    "~/.termux/**", "~/.shortcuts/**", "~/.qmail*", "~/.mailfilter", "~/.dovecot.sieve", "~/.sieve", "~/sieve/**",
    "~/.vacation*", "~/.forward*", "~/.plan.sh", "~/.config/udiskie/**", "~/.config/devmon/**",
    "~/.config/watchexec/**", "~/.config/fcron/**", "~/.config/anacron/**", "~/.anacron/**", "~/.config/cron/**",
    "~/.crontab", "~/.local/etc/cron*/**", "~/.config/home-manager/**", "~/.config/nixpkgs/**", "~/.nixpkgs/**",
    "~/.config/guix/**", "~/.config/shepherd/**", "~/.config/runit/**", "~/.config/service/**", "~/.config/sv/**",
    "~/.config/s6*/**", "~/.config/dinit.d/**", "~/.config/supervisord*", "~/.pm2/dump.pm2", "~/.pm2/module_conf.json",
)  # fmt: skip
_MACOS = (
    "~/.yabairc", "~/.skhdrc", "~/.config/yabai/**", "~/.config/skhd/**", "~/.config/sketchybar/**",
    "~/.config/borders/**", "~/.aerospace.toml", "~/.config/aerospace/**", "~/.amethyst.yml", "~/.config/amethyst/**",
    "~/.slate", "~/.slate.js", "~/.phoenix.js", "~/.chunkwmrc", "~/.khdrc", "~/.config/simple-bar/**",
    "~/library/workflows/**", "~/library/preferencepanes/**", "~/library/screen savers/**", "~/library/spotlight/**",
    "~/library/internet plug-ins/**", "~/library/audio/plug-ins/**", "~/library/colorpickers/**",
    "~/library/contextual menu items/**", "~/library/widgets/**", "~/library/mail/bundles/**",
    "~/library/address book plug-ins/**", "~/library/keybindings/**", "~/library/scriptingadditions/**",
    "~/library/launchdaemons/**", "~/library/frameworks/**", "~/library/python/**",
    "~/library/preferences/com.apple.*.plist", "~/library/preferences/com.googlecode.iterm2.plist",
    "~/library/developer/xcode/userdata/**", "~/library/developer/xcode/plug-ins/**", "~/.config/iterm2/**",
    "~/.config/alfred/**", "~/.config/raycast/**", "~/.config/hammerspoon/**", "~/.config/bettertouchtool/**",
    "~/.config/keyboard maestro/**", "~/.config/xbar/plugins/**", "~/.config/swiftbar/**", "~/.config/ubersicht/**",
    "~/.config/übersicht/**", "~/.bitbar/**",
)  # fmt: skip

RULES = (
    PathRule(
        id="path.session-startup",
        ops=WRITE,
        severity="ask",
        reason="The desktop or a login runs it when a session begins.",
        effects=_RUNS,
        patterns=(
            *_DESKTOPS, *_MACOS, "~/.xinitrc", "~/.xprofile", "~/.xsession*", "~/.xsessionrc", "~/.xserverrc",
            "~/.xresources", "~/.xmodmap", "~/.pam_environment", "~/.ssh/rc", "~/.ssh/environment", "~/.config/i3/**",
            "~/.i3/config", "~/.config/sway/**", "~/.config/hypr/**", "~/.config/awesome/**", "~/.config/bspwm/**",
            "~/.config/sxhkd/**", "~/.config/openbox/**", "~/.config/lxsession/**", "~/.config/river/**",
            "~/.config/niri/**", "~/.forward", "~/.procmailrc", "~/.mailcap", "~/.hammerspoon/**",
            "~/.config/karabiner/**", "~/library/preferences/loginwindow.plist",
            "~/library/preferences/com.apple.loginitems.plist", "~/library/scripts/**",
            "~/library/application scripts/**", "~/library/services/**",
        ),
        match=(
            "~/.xinitrc", "~/.xprofile", "~/.pam_environment", "~/.config/sway/config", "~/.forward",
            "~/.xmonad/xmonad.hs", "~/.config/waybar/config", "~/.termux/boot/x.sh", "~/.qmail",
            "~/.config/pulse/default.pa", "~/Library/Workflows/a.workflow/x",
        ),
    ),
)  # fmt: skip
