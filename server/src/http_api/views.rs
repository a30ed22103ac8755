//! A macro that writes a struct of a response together with its conversion from the model.

/// A struct of a response. After `as` comes its name in the OpenAPI document, after `from` the model it is made from. A field
/// without `=` is copied from the model's field of that name; with `=` it has that value. `from a in Model { a, b, .. }` takes
/// the model apart and copies the fields from its part `a`.
macro_rules! view {
    (
        $(#[$docs:meta])*
        $vis:vis struct $view:ident as $name:ident from $of:ident: $model:ty { $($fields:tt)* }
    ) => {
        view!(@struct $(#[$docs])* $vis struct $view as $name from $of ($of, $model) { $($fields)* });
    };
    (
        $(#[$docs:meta])*
        $vis:vis struct $view:ident as $name:ident from $of:ident in $model:ident { $($part:tt)* } { $($fields:tt)* }
    ) => {
        view!(@struct $(#[$docs])* $vis struct $view as $name from $of ($model { $($part)* }, $model) { $($fields)* });
    };
    (@struct
        $(#[$docs:meta])*
        $vis:vis struct $view:ident as $name:ident from $of:ident ($pattern:pat_param, $model:ty) {
            $($(#[$field_docs:meta])* $field_vis:vis $field:ident: $type:ty $(= $value:expr)?,)*
        }
    ) => {
        $(#[$docs])*
        #[derive(serde::Serialize, utoipa::ToSchema)]
        #[schema(as = $name)]
        $vis struct $view {
            $($(#[$field_docs])* $field_vis $field: $type,)*
        }

        impl From<$model> for $view {
            fn from($pattern: $model) -> Self {
                Self { $($field: view!(@value $of $field $($value)?),)* }
            }
        }
    };
    (@value $of:ident $field:ident) => { $of.$field };
    (@value $of:ident $field:ident $value:expr) => { $value };
}

pub(super) use view;
